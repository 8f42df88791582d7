//! Claims about the learners: they match reference runs, a literal transcription of the paper's algorithms, and its
//! lemmas.

mod lemmas;
mod reference;
mod table;
mod transcription;
mod world;
