import { useCallback, useSyncExternalStore } from 'react';
import { readStored, writeStored } from '../../../ui/stored';

/** Steps of the onboarding, in order. */
export const STEPS = ['send', 'break', 'provider', 'key', 'team'] as const;
export type StepId = (typeof STEPS)[number];

/** Number of steps done in this browser after which the overview replaces the onboarding. */
const ENOUGH = 3;

interface Stored {
  readonly done: readonly StepId[];
  readonly isDismissed: boolean;
}

export interface Progress extends Stored {
  /** True when the overview replaces the onboarding. */
  readonly isOver: boolean;
  readonly finish: (step: StepId) => void;
  readonly dismiss: () => void;
}

const NONE: Stored = { done: [], isDismissed: false };
const cache = new Map<string, { readonly text: string; readonly value: Stored }>();
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const nameOf = (workspaceId: string): string => `onboarding:${workspaceId}`;
const isStep = (value: unknown): value is StepId => (STEPS as readonly unknown[]).includes(value);

/** Reads the stored progress; returns the same object while it is unchanged. */
function storedOf(workspaceId: string): Stored {
  const raw = readStored(nameOf(workspaceId));
  const text = JSON.stringify(raw);
  const last = cache.get(workspaceId);
  if (last?.text === text) return last.value;
  const { done, isDismissed } = { ...NONE, ...(typeof raw === 'object' ? raw : null) };
  const value = { done: Array.isArray(done) ? done.filter(isStep) : [], isDismissed: isDismissed === true };
  cache.set(workspaceId, { text, value });
  return value;
}

function change(workspaceId: string, changed: Partial<Stored>): void {
  writeStored(nameOf(workspaceId), { ...storedOf(workspaceId), ...changed });
  for (const listener of listeners) listener();
}

const isEnough = ({ isDismissed, done }: Stored): boolean => isDismissed || done.length >= ENOUGH;

/** Whether the overview replaces the onboarding. */
export const isOver = (workspaceId: string): boolean => isEnough(storedOf(workspaceId));

/** Progress of the onboarding of a workspace in this browser. */
export function useProgress(workspaceId: string): Progress {
  const stored = useSyncExternalStore(subscribe, () => storedOf(workspaceId));
  const finish = useCallback(
    (step: StepId) => {
      const { done } = storedOf(workspaceId);
      if (!done.includes(step)) change(workspaceId, { done: [...done, step] });
    },
    [workspaceId],
  );
  const dismiss = useCallback(() => change(workspaceId, { isDismissed: true }), [workspaceId]);
  return { ...stored, isOver: isEnough(stored), finish, dismiss };
}
