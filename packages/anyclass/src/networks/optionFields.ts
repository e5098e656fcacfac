// Types of numeric network options. Their messages are meant to follow the field's name and value.

import { z } from 'zod';

const integerText = 'expected a positive integer';
export const positiveInteger = z.int(integerText).positive(integerText);

const probabilityText = 'expected a number from 0 to 1';
export const probability = z.number(probabilityText).min(0, probabilityText).max(1, probabilityText);
