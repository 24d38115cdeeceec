import { createContext, useContext, useMemo, type ReactElement, type ReactNode } from 'react';
import { OWN_ZONE, type Zone } from '../format';

/** How numbers and times are shown. */
export interface FormatSettings {
  readonly zone: Zone;
  readonly locale: string;
}

const FormatContext = createContext<FormatSettings | null>(null);

export interface FormatProviderProps {
  /** Default: the zone of the browser. */
  readonly zone?: Zone;
  readonly locale?: string;
  readonly children: ReactNode;
}

/** Sets the zone and the locale of everything inside. */
export function FormatProvider({ zone, locale = 'en', children }: FormatProviderProps): ReactElement {
  const settings = useMemo(() => ({ zone: zone ?? OWN_ZONE, locale }), [zone, locale]);
  return <FormatContext value={settings}>{children}</FormatContext>;
}

/** The settings around a component; those of the browser without a provider. */
export function useFormat(): FormatSettings {
  const settings = useContext(FormatContext);
  return useMemo(() => settings ?? { zone: OWN_ZONE, locale: 'en' }, [settings]);
}
