import { useSyncExternalStore } from 'react';
import { OWN_ZONE } from '../../ui/format';
import { readStored, writeStored } from '../../ui/stored';

/** Settings of the viewer in this browser, besides the theme. None of them is secret. */
export interface Preferences {
  readonly zone: 'mine' | 'utc';
  readonly density: 'comfortable' | 'compact';
  readonly isSidebarCollapsed: boolean;
  /** Whether single keys and chords act. */
  readonly hasKeys: boolean;
}

const KEY = 'preferences';
const DEFAULTS: Preferences = {
  zone: 'mine',
  density: 'comfortable',
  isSidebarCollapsed: false,
  hasKeys: true,
};

let current: Preferences | undefined;
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

function stored(): Preferences {
  const value = readStored(KEY);
  return { ...DEFAULTS, ...(typeof value === 'object' ? value : null) };
}

export const preferences = (): Preferences => (current ??= stored());

export function changePreferences(change: Partial<Preferences>): void {
  current = { ...preferences(), ...change };
  writeStored(KEY, current);
  for (const listener of listeners) listener();
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, preferences);

export const toggleUtc = (): void => {
  changePreferences({ zone: preferences().zone === 'utc' ? 'mine' : 'utc' });
};

/** The zone in which times are shown. */
export const useZone = (): string => (usePreferences().zone === 'utc' ? 'UTC' : OWN_ZONE);
