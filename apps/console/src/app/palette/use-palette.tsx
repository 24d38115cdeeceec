import { lazy, useCallback, useState, type ReactElement } from 'react';
import { useIdle } from '../shell/use-idle';

const load = () => import('./palette');
const Palette = lazy(async () => ({ default: (await load()).Palette }));

/**
 * The palette. Its code is loaded when the palette is first opened or when the browser is idle.
 * `open` closes a palette that is open. Render `element` in a `Suspense`.
 */
export function usePalette(onKeys: () => void): {
  readonly open: () => void;
  readonly element: ReactElement | null;
} {
  const isIdle = useIdle(load);
  const [isWanted, setWanted] = useState(false);
  const open = useCallback(() => {
    setWanted(true);
    load().then(
      ({ paletteActions }) => paletteActions.toggle(),
      // `NewerVersion` reports missing files.
      () => undefined,
    );
  }, []);
  return { open, element: isIdle || isWanted ? <Palette onKeys={onKeys} /> : null };
}
