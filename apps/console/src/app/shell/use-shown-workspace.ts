import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { readStored, writeStored } from '../../ui/stored';
import { useSelf, type Self, type Workspace } from '../state/session-context';

const KEY = 'workspace';

/** Finds a workspace by slug or id; null when the user has no such workspace. */
export const workspaceOf = (
  { workspaces }: Pick<Self, 'workspaces'>,
  name: string | undefined,
): Workspace | null => workspaces.find(({ id, slug }) => slug === name || id === name) ?? null;

/**
 * The workspace of the address; on other pages the last open one, else the first. Null when the
 * user has none.
 */
export function useShownWorkspace(): Workspace | null {
  const self = useSelf();
  const { ws } = useParams({ strict: false });
  const here = workspaceOf(self, ws);
  useEffect(() => {
    if (here !== null) writeStored(KEY, here.slug);
  }, [here]);
  const last = readStored(KEY);
  return here ?? workspaceOf(self, typeof last === 'string' ? last : undefined) ?? self.workspaces[0] ?? null;
}
