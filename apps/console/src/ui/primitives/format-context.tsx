import { createContext, useContext, useMemo, type ReactElement, type ReactNode } from 'react';
import { OWN_ZONE, type Zone } from '../format';

/** Settings for formatting numbers and times. */
export interface FormatSettings {
  readonly zone: Zone;
  readonly locale: string;
}

const FormatContext = createContext<FormatSettings | null>(null);

export interface FormatProviderProps {
  /** Time zone; that of the browser when absent. */
  readonly zone?: Zone;
  readonly locale?: string;
  readonly children: ReactNode;
}

/** Sets the zone and locale of its children. */
export function FormatProvider({ zone, locale = 'en', children }: FormatProviderProps): ReactElement {
  const settings = useMemo(() => ({ zone: zone ?? OWN_ZONE, locale }), [zone, locale]);
  return <FormatContext value={settings}>{children}</FormatContext>;
}

/** Returns the settings of the nearest provider; without one, the browser's zone and English. */
export function useFormat(): FormatSettings {
  const settings = useContext(FormatContext);
  return useMemo(() => settings ?? { zone: OWN_ZONE, locale: 'en' }, [settings]);
}
