//! Fits a theme to the 256 colors that are the same on every terminal.
//!
//! Their steps are coarse: of a light brown, the nearest one is orange or gray. So the backgrounds come first, those
//! with which background and texts together look most as written. Then each text gets the nearest color that can be
//! read on all of them, and that no other tone has.

use ratatui::style::Color;

use super::{
    Theme,
    contrast::{self, LINE, Pair, TEXT},
    face::Face,
    oklab::Oklab,
};

/// The backgrounds of views and of what is raised above them, the most important first.
const GROUNDS: [Face; 4] = [Face::Screen, Face::RowSelected, Face::Dialog, Face::Toast];
/// A background may differ this much from the written one, and its hue this much. A missing hue stands out less than
/// another one.
const GROUND: f64 = 0.07;
const GROUND_HUE: f64 = 0.035;
/// How much the lightness of a text counts. Its hue has the meaning.
const TEXT_LIGHTNESS: f64 = 0.5;
/// Tones that are written further apart than this have to stay apart.
const APART: f64 = 0.05;
/// The least distance of two tones that stay apart.
const STAYS_APART: f64 = 0.03;

/// One of the 256 colors.
#[derive(Clone, Copy, Debug)]
struct Shade {
    color: Color,
    look: Oklab,
    luminance: f64,
}

impl Shade {
    fn of(color: Color) -> Option<Self> {
        Some(Self {
            color,
            look: Oklab::of(color)?,
            luminance: contrast::luminance(color)?,
        })
    }

    fn is_readable_on(&self, ground: f64, least: f64) -> bool {
        contrast::ratio_of(self.luminance, ground) >= least
    }
}

/// A written color, and what shows it.
#[derive(Clone, Copy, Debug)]
struct Chosen {
    written: Shade,
    shade: Shade,
}

/// The colors above the first 16, which differ between terminals.
struct Palette(Vec<Shade>);

pub fn fit(theme: &Theme) -> Theme {
    let all = Palette(
        (16..=255)
            .map(Color::Indexed)
            .filter_map(Shade::of)
            .collect(),
    );
    let mut fitted = theme.clone();
    let nearest = |color| Shade::of(color).map_or(color, |it| all.nearest(it).color);
    for style in &mut fitted.styles {
        style.bg = style.bg.map(nearest);
        style.fg = style.fg.map(nearest);
        style.underline_color = style.underline_color.map(nearest);
    }
    fit_grounds(theme, &mut fitted, &all);
    let tones = fit_texts(theme, &mut fitted, &all);
    let grounds: Vec<f64> = contrast::grounds(&fitted)
        .into_iter()
        .filter_map(|(_, ground)| contrast::luminance(ground))
        .collect();
    for (_, color) in &mut fitted.palette {
        let Some(written) = Shade::of(*color) else {
            continue;
        };
        let tone = tones.iter().find(|it| it.written.color == written.color);
        let shade = tone.map_or_else(|| all.text(written, &grounds, TEXT, &[]), |it| it.shade);
        *color = shade.color;
    }
    fitted
}

fn fit_grounds(theme: &Theme, fitted: &mut Theme, all: &Palette) {
    let texts = written_texts(theme);
    let mut chosen: Vec<Chosen> = Vec::new();
    for face in GROUNDS {
        let Some(written) = theme.style(face).bg.and_then(Shade::of) else {
            continue;
        };
        let same = chosen.iter().find(|it| it.written.color == written.color);
        let shade = match same {
            Some(same) => same.shade,
            None => all.ground(written, &chosen, &texts),
        };
        if same.is_none() {
            chosen.push(Chosen { written, shade });
        }
        fitted.styles[face as usize].bg = Some(shade.color);
    }
}

/// The colors of texts that are drawn on the backgrounds of others.
fn written_texts(theme: &Theme) -> Vec<Shade> {
    let mut texts: Vec<Shade> = Vec::new();
    let faces = Face::ALL.iter().filter(|face| contrast::is_text(**face));
    for style in faces.map(|face| theme.style(*face)) {
        let text = style.fg.filter(|_| style.bg.is_none()).and_then(Shade::of);
        texts.extend(text.filter(|it| texts.iter().all(|known| known.color != it.color)));
    }
    texts
}

/// Gives each face a color that can be read on its backgrounds. Returns the tones of texts without a background of
/// their own.
fn fit_texts(theme: &Theme, fitted: &mut Theme, all: &Palette) -> Vec<Chosen> {
    let pairs = contrast::pairs(fitted);
    let mut tones: Vec<Chosen> = Vec::new();
    for face in Face::ALL {
        let style = theme.style(*face);
        let of_face = || pairs.iter().filter(|pair| pair.face == *face);
        let (Some(written), Some(Pair { least, .. })) =
            (style.fg.and_then(Shade::of), of_face().next())
        else {
            continue;
        };
        let is_tone = style.bg.is_none() && *least > LINE;
        let known = tones.iter().find(|it| it.written.color == written.color);
        let shade = if let Some(known) = known.filter(|_| is_tone) {
            known.shade
        } else {
            let grounds = of_face().filter_map(|pair| contrast::luminance(pair.background));
            let grounds: Vec<f64> = grounds.collect();
            let others = if is_tone { &tones[..] } else { &[] };
            let shade = all.text(written, &grounds, *least, others);
            tones.extend(is_tone.then_some(Chosen { written, shade }));
            shade
        };
        fitted.styles[*face as usize].fg = Some(shade.color);
    }
    tones
}

impl Palette {
    fn nearest(&self, written: Shade) -> Shade {
        let all = self.0.iter();
        least_by(all, |it| written.look.distance(it.look, 1.0)).unwrap_or(written)
    }

    /// The color of a text on these backgrounds, apart from `others` if possible.
    fn text(&self, written: Shade, grounds: &[f64], least: f64, others: &[Chosen]) -> Shade {
        let is_readable = |it: &&Shade| {
            grounds
                .iter()
                .all(|ground| it.is_readable_on(*ground, least))
        };
        let is_apart = |it: &&Shade| {
            others.iter().all(|other| {
                other.written.look.distance(written.look, 1.0) <= APART
                    || other.shade.look.distance(it.look, 1.0) >= STAYS_APART
            })
        };
        let lightness = if least > LINE { TEXT_LIGHTNESS } else { 1.0 };
        let distance = |it: &Shade| written.look.distance(it.look, lightness);
        let readable = || self.0.iter().filter(is_readable);
        least_by(readable().filter(is_apart), distance)
            .or_else(|| least_by(readable(), distance))
            .unwrap_or_else(|| self.nearest(written))
    }

    /// The background with which it and the texts on it look most as written. It stays lighter or darker than the
    /// ones before it, the last of them if not all.
    fn ground(&self, written: Shade, before: &[Chosen], texts: &[Shade]) -> Shade {
        let keeps = |it: &Shade, other: &Chosen| {
            let was_lighter = written.luminance > other.written.luminance;
            it.color != other.shade.color && (it.luminance > other.shade.luminance) == was_lighter
        };
        let is_near = |it: &&Shade| {
            let is_of_hue = it.look.hue_distance(written.look) <= GROUND_HUE;
            (it.look.is_gray() || is_of_hue) && it.look.distance(written.look, 1.0) <= GROUND
        };
        let cost = |it: &Shade| {
            let texts = texts
                .iter()
                .map(|text| self.cost_of_text(*text, it.luminance));
            it.look.distance(written.look, 1.0) + texts.sum::<f64>()
        };
        let found = (0..before.len()).find_map(|left_out| {
            let near = self.0.iter().filter(is_near);
            let keeping = near.filter(|it| before[left_out..].iter().all(|other| keeps(it, other)));
            least_by(keeping, cost)
        });
        let distance = |it: &Shade| written.look.distance(it.look, 1.0);
        found
            .or_else(|| {
                let other = before.last()?;
                let differing = self.0.iter().filter(|it| it.color != other.shade.color);
                least_by(differing, distance)
            })
            .or_else(|| least_by(self.0.iter().filter(is_near), cost))
            .unwrap_or_else(|| self.nearest(written))
    }

    /// How far a text has to change so that it can be read on a background.
    fn cost_of_text(&self, text: Shade, ground: f64) -> f64 {
        let readable = self.0.iter().filter(|it| it.is_readable_on(ground, TEXT));
        let distances = readable.map(|it| text.look.distance(it.look, TEXT_LIGHTNESS));
        distances.fold(1.0, f64::min)
    }
}

fn least_by<'a>(
    shades: impl Iterator<Item = &'a Shade>,
    cost: impl Fn(&Shade) -> f64,
) -> Option<Shade> {
    let costs = shades.map(|it| (cost(it), *it));
    let least = costs.min_by(|(one, _), (other, _)| one.total_cmp(other));
    least.map(|(_, shade)| shade)
}
