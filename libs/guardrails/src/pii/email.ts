import type { Recognizer } from './recognizer';

const LOCAL = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]/u;
const DOMAIN = /[\p{L}\p{N}.-]/u;

/** Searches outwards from each `@`, so a text costs its length plus 260 characters per `@`. */
export const emails: Recognizer = (text, emit) => {
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const start = startOf(text, at);
    const end = endOf(text, at);
    if (start < at && text[at - 1] !== '.' && isDomain(text.slice(at + 1, end))) emit(start, end);
  }
};

function startOf(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < 64 && LOCAL.test(text[start - 1] ?? '')) start--;
  while (start < at && /[.'`/={|]/.test(text[start] ?? '')) start++;
  return start;
}

function endOf(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && end - at < 190 && DOMAIN.test(text[end] ?? '')) end++;
  while (end > at + 1 && /[.-]/.test(text[end - 1] ?? '')) end--;
  return end;
}

function isDomain(domain: string): boolean {
  const labels = domain.split('.');
  const top = labels.at(-1) ?? '';
  return (
    labels.length > 1 &&
    labels.every((label) => label !== '') &&
    /^(?:\p{L}{2,24}|xn--[a-z0-9-]{2,50})$/iu.test(top)
  );
}
