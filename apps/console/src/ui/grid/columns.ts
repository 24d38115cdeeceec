import { useMemo, useState, type ReactNode } from 'react';
import { readStored, writeStored } from '../stored';

/** A column of a grid. */
export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  /** Pixels. */
  readonly width: number;
  /** Takes its share of the space that is left. */
  readonly grow?: number;
  readonly align?: 'left' | 'right';
  readonly cell: (row: Row) => ReactNode;
  /** Field of the API that the grid can be sorted by. Absent: it cannot. */
  readonly sort?: string;
  /** Not shown until it is chosen. */
  readonly optional?: boolean;
}

/** Narrowest and widest column, in pixels. */
export const [WIDTH_MIN, WIDTH_MAX] = [48, 900];

interface StoredColumns {
  readonly shown: readonly string[] | null;
  readonly widths: Readonly<Record<string, number>>;
}

export interface ColumnChoice<Row> {
  /** In their order. */
  readonly shown: readonly Column<Row>[];
  readonly widths: Readonly<Record<string, number>>;
  readonly setShown: (ids: readonly string[]) => void;
  readonly setWidth: (id: string, width: number) => void;
  readonly reset: () => void;
}

const NOTHING: StoredColumns = { shown: null, widths: {} };

/**
 * Visible columns, their order and widths, kept in the browser under `storageKey`. `fromUrl`, when it
 * is not empty, decides which columns are visible.
 */
export function useColumns<Row>(
  storageKey: string,
  columns: readonly Column<Row>[],
  fromUrl: readonly string[] = [],
): ColumnChoice<Row> {
  const key = `grid:${storageKey}`;
  const [stored, setStored] = useState<StoredColumns>(() => readColumns(key));
  return useMemo(() => {
    const keep = (next: StoredColumns): void => {
      setStored(next);
      writeStored(key, next);
    };
    const ids = fromUrl.length > 0 ? fromUrl : stored.shown;
    const known = (ids ?? []).flatMap((id) => columns.find((column) => column.id === id) ?? []);
    return {
      shown: known.length > 0 ? known : columns.filter(({ optional }) => optional !== true),
      widths: stored.widths,
      setShown: (shown) => keep({ ...stored, shown }),
      setWidth: (id, width) =>
        keep({
          ...stored,
          widths: { ...stored.widths, [id]: Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, Math.round(width))) },
        }),
      reset: () => keep(NOTHING),
    };
  }, [columns, fromUrl, key, stored]);
}

/** Values that another version stored, or that were edited by hand, are ignored. */
function readColumns(key: string): StoredColumns {
  const value = readStored(key) as Partial<StoredColumns> | null;
  if (typeof value !== 'object' || value === null) return NOTHING;
  const { shown, widths } = value;
  const isWidths =
    typeof widths === 'object' && widths !== null && Object.values(widths).every(Number.isFinite);
  return {
    shown: Array.isArray(shown) && shown.every((id) => typeof id === 'string') ? shown : null,
    widths: isWidths ? widths : {},
  };
}

/** `grid-template-columns` of the shown columns. */
export const templateOf = <Row>(
  shown: readonly Column<Row>[],
  widths: Readonly<Record<string, number>>,
): string =>
  shown
    .map(({ id, width, grow }) => {
      const own = widths[id];
      if (own !== undefined) return `${own}px`;
      return grow === undefined ? `${width}px` : `minmax(${width}px, ${grow}fr)`;
    })
    .join(' ');

/** Least width of a row in pixels, the same for all rows whatever their cells have. */
export const leastWidth = <Row>(
  shown: readonly Column<Row>[],
  widths: Readonly<Record<string, number>>,
): number => shown.reduce((sum, { id, width }) => sum + (widths[id] ?? width), 0);
