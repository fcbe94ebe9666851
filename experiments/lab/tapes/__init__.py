"""Solution tapes and the manners in which calibration agents replay them."""
