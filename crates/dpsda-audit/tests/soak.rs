//! soak
