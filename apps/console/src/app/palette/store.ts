import { createSpotlight } from '@mantine/spotlight';

/** Opens and closes the palette. */
export const [palette, paletteActions] = createSpotlight();

const SELECTED = 'data-selected';

const rows = (): readonly Element[] => [
  ...(document.getElementById(palette.getState().listId)?.querySelectorAll('[data-action]') ?? []),
];

/**
 * Selects the first row, which Enter opens. The spotlight itself selects it before late rows
 * arrive.
 */
export function selectFirst(): void {
  const all = rows();
  for (const row of all) row.removeAttribute(SELECTED);
  all[0]?.setAttribute(SELECTED, 'true');
  palette.updateState((state) => ({ ...state, selected: all.length === 0 ? -1 : 0 }));
}

/** Returns `data-hit` of the selected row; null when no row is selected. */
export const selectedHit = (): string | null =>
  rows()
    .find((row) => row.hasAttribute(SELECTED))
    ?.getAttribute('data-hit') ?? null;
