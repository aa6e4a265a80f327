import math

import numpy as np

erf = np.vectorize(math.erf)


def normal_cdf(x):
    return (1 + erf(x / math.sqrt(2))) / 2


strike, rate, volatility, years = 100, 0.02, 0.3, 2
price = np.arange(80., 130., 10.)

deviation, discount = volatility * math.sqrt(years), math.exp(-rate * years)
d1 = (np.log(price / strike) + (rate + volatility ** 2 / 2) * years) / deviation
call = price * normal_cdf(d1) - strike * discount * normal_cdf(d1 - deviation)
put = call - price + strike * discount

print("price", price)
print("call ", np.array2string(call, precision=2))
print("put  ", np.array2string(put, precision=2))
