"""What the scripts run on. Imports all that they import, so that later starts find it compiled."""

import platform

import threads
import numpy
import scipy
import scipy.linalg
import scipy.optimize
import scipy.sparse

import comparator
import data
import mixing
import relay

print(f"Python {platform.python_version()}, NumPy {numpy.__version__}, SciPy {scipy.__version__}")
