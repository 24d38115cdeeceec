const TEMPLATE_MAX = 2_048;
const PARTS_MAX = 50;

/**
 * Returns whether a resource template (RFC 6570, levels 1 and 2) can expand to a URI: `{x}` matches
 * one or more characters without `/`, `{+x}` one or more of any. Each expression matches as little
 * as possible, so a template with two adjacent expressions may refuse a URI that it could expand
 * to.
 */
export function matchesUriTemplate(template: string, uri: string): boolean {
  if (template.length > TEMPLATE_MAX || uri.length > TEMPLATE_MAX) return false;
  const parts = template.split(/(\{[^{}]{1,128}\})/);
  if (parts.length > PARTS_MAX) return false;
  let at = 0;
  for (let index = 0; index < parts.length; index += 2) {
    const literal = parts[index] ?? '';
    const expression = parts[index - 1];
    const start = expression === undefined ? 0 : startOf(literal, index === parts.length - 1, uri, at + 1);
    if (start < 0 || !uri.startsWith(literal, start)) return false;
    if (expression !== undefined && !canHold(expression, uri.slice(at, start))) return false;
    at = start + literal.length;
  }
  return at === uri.length;
}

/** Returns the index of the literal after an expression; -1 when the URI does not have it. */
function startOf(literal: string, isLast: boolean, uri: string, from: number): number {
  if (!isLast) return uri.indexOf(literal, from);
  const start = uri.length - literal.length;
  return start >= from ? start : -1;
}

const canHold = (expression: string, value: string): boolean =>
  value !== '' && (expression.startsWith('{+') || !value.includes('/'));
