import { isObject } from '@gw/kernel';

const LEAVES_MAX = 10_000;
const DECODINGS_MAX = 3;

/**
 * Returns whether any string in the arguments has a path segment `..` or a NUL, also
 * percent-encoded up to three times or with backslashes. Returns true for more than 10,000 strings.
 */
export function hasPathTraversal(args: unknown): boolean {
  const pending: unknown[] = [args];
  let leaves = 0;
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value === 'string') {
      leaves += 1;
      if (leaves > LEAVES_MAX || isTraversal(value)) return true;
    } else if (Array.isArray(value)) for (const each of value) pending.push(each);
    else if (isObject(value)) for (const each of Object.values(value)) pending.push(each);
  }
  return false;
}

function isTraversal(text: string): boolean {
  let current = text;
  for (let round = 0; round <= DECODINGS_MAX; round += 1) {
    if (current.includes('\0') || current.split(/[/\\]/).some((segment) => segment.trim() === '..'))
      return true;
    const decoded = decodedOnce(current);
    if (decoded === current) return false;
    current = decoded;
  }
  return false;
}

/**
 * Decodes once the characters that matter for paths: the dot, both slashes, the percent sign and
 * NUL.
 */
const decodedOnce = (text: string): string =>
  text.replace(/%(?:2e|2f|5c|25|00)/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
