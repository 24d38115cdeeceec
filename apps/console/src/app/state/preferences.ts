import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark' | 'system';
export type ZoneChoice = 'mine' | 'utc';

/** What a viewer chose in this browser. Nothing of it is secret. */
export interface Preferences {
  readonly theme: Theme;
  readonly zone: ZoneChoice;
  readonly isSidebarCollapsed: boolean;
  /** Whether single keys and chords act. */
  readonly hasKeys: boolean;
}

const KEY = 'tollgate.preferences';
const DEFAULTS: Preferences = { theme: 'system', zone: 'mine', isSidebarCollapsed: false, hasKeys: true };

function stored(): Preferences {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return { ...DEFAULTS, ...(typeof value === 'object' ? (value as Partial<Preferences>) : {}) };
  } catch {
    return DEFAULTS;
  }
}

let current: Preferences | undefined;
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const preferences = (): Preferences => (current ??= stored());

export function changePreferences(change: Partial<Preferences>): void {
  current = { ...preferences(), ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // A browser without storage keeps them for this page.
  }
  for (const listener of listeners) listener();
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, preferences);

/** IANA name of the zone in which times are shown. */
export const useZone = (): string =>
  usePreferences().zone === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;
