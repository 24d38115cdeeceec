import { lazy, useCallback, useEffect, useState, type ReactElement } from 'react';

const load = () => import('./palette');
const Palette = lazy(async () => ({ default: (await load()).Palette }));

/** The palette, which is loaded when it is opened first, or when the browser has nothing else to do. Drawn in a `Suspense`. */
export function usePalette(): { readonly open: () => void; readonly element: ReactElement | null } {
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => {
    // Safari has none; it loads the palette when it is opened.
    if (!('requestIdleCallback' in globalThis)) return undefined;
    const idle = requestIdleCallback(() => setLoaded(true));
    return () => cancelIdleCallback(idle);
  }, []);
  const open = useCallback(() => {
    setLoaded(true);
    void load().then(({ paletteActions }) => paletteActions.toggle());
  }, []);
  return { open, element: isLoaded ? <Palette /> : null };
}
