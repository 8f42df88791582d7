"""What the scripts run on."""

import platform

import threads
import numpy
import scipy

print(f"Python {platform.python_version()}, NumPy {numpy.__version__}, SciPy {scipy.__version__}")
