//! The sessions page as a person sees it: keys in, cells out, panel by panel.

mod anything;
mod asked;
mod list;
mod overlays;
mod screen;
mod states;
mod world;
