import { encodeQR } from 'qr';
import { useMemo, type ReactElement } from 'react';
import './factors.css';

/** Width of the light border in modules; readers need it to find the code. */
const QUIET = 4;

interface QrCodeProps {
  readonly text: string;
  readonly label: string;
}

/**
 * Draws a text as a QR code in the browser; the text is sent nowhere. Renders nothing when the text
 * is too long for a QR code.
 */
export function QrCode({ text, label }: QrCodeProps): ReactElement | null {
  const rows = useMemo(() => rowsOf(text), [text]);
  if (rows === null) return null;
  const size = rows.length;
  return (
    <svg className="qr-code private" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`}>
      <rect width={size} height={size} className="qr-code-light" />
      <path d={pathOf(rows)} className="qr-code-dark" />
    </svg>
  );
}

/** Rows of modules, true for dark. Null when the text is too long for a QR code. */
function rowsOf(text: string): readonly (readonly boolean[])[] | null {
  try {
    return encodeQR(text, 'raw', { ecc: 'medium', border: QUIET });
  } catch {
    return null;
  }
}

/** SVG path with one rectangle for each run of dark modules in a row. */
function pathOf(rows: readonly (readonly boolean[])[]): string {
  let path = '';
  for (const [y, row] of rows.entries())
    for (let x = 0; x < row.length; x += 1) {
      const begin = x;
      while (row[x] === true) x += 1;
      if (x > begin) path += `M${begin} ${y}h${x - begin}v1h${begin - x}z`;
    }
  return path;
}
