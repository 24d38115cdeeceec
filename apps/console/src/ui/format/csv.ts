/** First characters with which some spreadsheets treat a cell as a formula. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * Formats a cell. A text that a spreadsheet would treat as a formula is prefixed with an
 * apostrophe.
 */
function cell(value: object | string | number | null | undefined): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : `${value ?? ''}`;
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Formats rows as CSV (RFC 4180) that is safe to open in a spreadsheet. Objects become JSON; null
 * and undefined become empty cells.
 */
export const csvText = (
  rows: readonly (readonly (object | string | number | null | undefined)[])[],
): string => rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
