/** Returns whether a payment card number has a valid Luhn checksum. */
export function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    let digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    if (index % 2 === 1) digit = digit > 4 ? digit * 2 - 9 : digit * 2;
    sum += digit;
  }
  return sum % 10 === 0;
}

/** Returns the remainder of a decimal number of any length. */
export function modulo(digits: string, divisor: number): number {
  let rest = 0;
  for (let index = 0; index < digits.length; index++)
    rest = (rest * 10 + digits.charCodeAt(index) - 48) % divisor;
  return rest;
}

/**
 * Checks ISO 13616: the rearranged number, with letters as 10 to 35, has the remainder 1. `iban`
 * must be upper case without spaces.
 */
export function isIbanChecksum(iban: string): boolean {
  const moved = iban.slice(4) + iban.slice(0, 4);
  let rest = 0;
  for (let index = 0; index < moved.length; index++) {
    const code = moved.charCodeAt(index);
    rest = code > 57 ? (rest * 100 + code - 55) % 97 : (rest * 10 + code - 48) % 97;
  }
  return rest === 1;
}

/** Returns the sum of digits times weights. */
export function weighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * (digits.charCodeAt(index) - 48), 0);
}

const PERMUTATION = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];

/**
 * Returns whether the digits have a valid Verhoeff checksum, over the dihedral group of order 10.
 */
export function isVerhoeff(digits: string): boolean {
  let check = 0;
  for (let index = 0; index < digits.length; index++) {
    let digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    for (let times = 0; times < index % 8; times++) digit = PERMUTATION[digit] ?? 0;
    check = dihedral(check, digit);
  }
  return check === 0;
}

function dihedral(a: number, b: number): number {
  if (a < 5) return b < 5 ? (a + b) % 5 : 5 + ((a + b - 5) % 5);
  return b < 5 ? 5 + ((a - 5 - b + 5) % 5) : (a - b + 5) % 5;
}
