//! Colors as people see them: in this space (Oklab, https://bottosson.github.io/posts/oklab/), the distance of two
//! colors is about how different they look.

use ratatui::style::Color;

use super::color;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Oklab {
    lightness: f64,
    /// From green to red.
    a: f64,
    /// From blue to yellow.
    b: f64,
}

impl Oklab {
    /// `None` for a color of the terminal's palette, which nobody but the terminal knows.
    pub fn of(color: Color) -> Option<Self> {
        let [red, green, blue] = color::rgb(color)?.map(color::linear);
        let mix = |r: f64, g: f64, b: f64| (r * red + g * green + b * blue).cbrt();
        let l = mix(0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9);
        let m = mix(0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6);
        let s = mix(0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5);
        Some(Self {
            lightness: 0.210_454_255_3 * l + 0.793_617_785 * m - 0.004_072_046_8 * s,
            a: 1.977_998_495_1 * l - 2.428_592_205 * m + 0.450_593_709_9 * s,
            b: 0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766 * s,
        })
    }

    /// The distance, with this weight of the lightness. Black and white are 1 apart.
    pub fn distance(self, other: Self, lightness: f64) -> f64 {
        let light = self.lightness - other.lightness;
        (lightness * light * light + self.hue_distance(other).powi(2)).sqrt()
    }

    /// The distance without the lightness.
    pub fn hue_distance(self, other: Self) -> f64 {
        (self.a - other.a).hypot(self.b - other.b)
    }

    /// Whether it is a gray, black or white.
    pub fn is_gray(self) -> bool {
        self.a.hypot(self.b) < 0.01
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_is_that_of_the_eye() {
        let of = |r, g, b| Oklab::of(Color::Rgb(r, g, b)).unwrap();
        let (black, white) = (of(0, 0, 0), of(255, 255, 255));
        assert!((black.distance(white, 1.0) - 1.0).abs() < 0.001);
        assert!(black.is_gray() && white.is_gray() && !of(255, 255, 215).is_gray());
        // Red, from the definition of the space.
        let red = of(255, 0, 0);
        assert!((red.lightness - 0.628).abs() < 0.001);
        assert!((red.a - 0.225).abs() < 0.001 && (red.b - 0.126).abs() < 0.001);
        assert_eq!(Oklab::of(Color::Red), None);
    }
}
