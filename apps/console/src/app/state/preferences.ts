import { useSyncExternalStore } from 'react';
import { OWN_ZONE } from '../../ui/format';
import { onStored, readStored, writeStored } from '../../ui/stored';

/** Settings of the viewer in this browser, besides the theme. None of them is secret. */
export interface Preferences {
  readonly zone: 'mine' | 'utc';
  readonly density: 'comfortable' | 'compact';
  readonly isSidebarCollapsed: boolean;
  /**
   * Whether shortcuts of one key, or of two keys in sequence (`g l`), act. Combinations such as
   * Ctrl K, and the keys of a list that has the focus, always do.
   */
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
let stopFollowing = (): void => undefined;

/**
 * Calls `listener` for each change, in this tab and in others. Returns a function that stops it.
 */
function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) stopFollowing = onStored(KEY, () => apply(stored()));
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) stopFollowing();
  };
}

function apply(next: Preferences): void {
  current = next;
  for (const listener of listeners) listener();
}

/** The stored preferences. Without storage, those of this tab. */
function stored(): Preferences {
  const value = readStored(KEY);
  return { ...DEFAULTS, ...current, ...(typeof value === 'object' ? value : null) };
}

export const preferences = (): Preferences => (current ??= stored());

/** Changes preferences. Keeps those that another tab has changed. */
export function changePreferences(change: Partial<Preferences>): void {
  const next = { ...stored(), ...change };
  writeStored(KEY, next);
  apply(next);
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, preferences);

export const toggleUtc = (): void => {
  changePreferences({ zone: preferences().zone === 'utc' ? 'mine' : 'utc' });
};

/** The zone in which times are shown. */
export const useZone = (): string => (usePreferences().zone === 'utc' ? 'UTC' : OWN_ZONE);
