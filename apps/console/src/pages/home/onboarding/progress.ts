import { useCallback, useSyncExternalStore } from 'react';
import { readStored, writeStored } from '../../../ui/stored';

/** Steps of the first minute, in their order. */
export const STEPS = ['send', 'break', 'provider', 'key', 'team'] as const;
export type StepId = (typeof STEPS)[number];

/** The onboarding gives way to the overview after so many steps. */
const ENOUGH = 3;

interface Stored {
  readonly done: readonly StepId[];
  readonly isDismissed: boolean;
}

export interface Progress extends Stored {
  /** The overview takes the place of the onboarding. */
  readonly isOver: boolean;
  readonly finish: (step: StepId) => void;
  readonly dismiss: () => void;
}

const NONE: Stored = { done: [], isDismissed: false };
const known = new Map<string, { readonly text: string; readonly value: Stored }>();
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const nameOf = (workspaceId: string): string => `onboarding:${workspaceId}`;
const isStep = (value: unknown): value is StepId => (STEPS as readonly unknown[]).includes(value);

/** The same object as long as what is stored is the same. */
function storedOf(workspaceId: string): Stored {
  const raw = readStored(nameOf(workspaceId));
  const text = JSON.stringify(raw);
  const last = known.get(workspaceId);
  if (last?.text === text) return last.value;
  const { done, isDismissed } = { ...NONE, ...(typeof raw === 'object' ? raw : null) };
  const value = { done: Array.isArray(done) ? done.filter(isStep) : [], isDismissed: isDismissed === true };
  known.set(workspaceId, { text, value });
  return value;
}

function change(workspaceId: string, changed: Partial<Stored>): void {
  writeStored(nameOf(workspaceId), { ...storedOf(workspaceId), ...changed });
  for (const listener of listeners) listener();
}

const isEnough = ({ isDismissed, done }: Stored): boolean => isDismissed || done.length >= ENOUGH;

/** Whether the overview takes the place of the onboarding. */
export const isOver = (workspaceId: string): boolean => isEnough(storedOf(workspaceId));

/** Which steps were done in this browser, by workspace. */
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
