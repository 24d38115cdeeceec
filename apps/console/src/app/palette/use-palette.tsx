import { lazy, useCallback, useState, type ReactElement } from 'react';
import { useIdle } from '../shell/use-idle';

const load = () => import('./palette');
const Palette = lazy(async () => ({ default: (await load()).Palette }));

/** The palette, which is loaded when it is opened first, or when the browser has nothing else to do. Draw it in a `Suspense`. */
export function usePalette(onKeys: () => void): {
  readonly open: () => void;
  readonly element: ReactElement | null;
} {
  const isIdle = useIdle(load);
  const [isWanted, setWanted] = useState(false);
  const open = useCallback(() => {
    setWanted(true);
    void load().then(({ paletteActions }) => paletteActions.toggle());
  }, []);
  return { open, element: isIdle || isWanted ? <Palette onKeys={onKeys} /> : null };
}
