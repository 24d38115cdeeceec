import { isIPv6 } from 'node:net';
import { byPattern, isIntroduced, type Recognizer } from './recognizer';

const IPV4 =
  /(?<![\d.])(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}(?![\d]|\.\d)/g;
const IPV6 = /(?<![\p{L}\p{N}:])[0-9A-Fa-f:]{3,39}(?:\.[0-9.]{3,12})?(?![\p{L}\p{N}:])/gu;

const v4 = byPattern(IPV4, (_, text, start) => !isIntroduced(text, start, /(?:version|release|\bv)[ :=]*$/i));
/**
 * `a::b` is a name in some programming languages; an address has a digit and more than one colon.
 */
const v6 = byPattern(IPV6, (match) => /\d/.test(match) && /:.*:/.test(match) && isIPv6(match));

export const ipAddresses: Recognizer = (text, emit) => {
  v4(text, emit);
  v6(text, emit);
};
