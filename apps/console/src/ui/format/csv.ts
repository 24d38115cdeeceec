/** Signs at the beginning of a cell that make a formula of it in some spreadsheet. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** A cell that a spreadsheet shows as text: what would be a formula begins with an apostrophe. */
function cell(value: object | string | number | null | undefined): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : `${value ?? ''}`;
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Lines of CSV (RFC 4180), safe to open in a spreadsheet. Objects are JSON; null and undefined are empty. */
export const csvText = (
  rows: readonly (readonly (object | string | number | null | undefined)[])[],
): string => rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
