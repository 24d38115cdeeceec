import { useMemo } from 'react';
import { PAGES } from '../../pages';
import type { PageEntry, PageGroup } from '../page-entry';
import { refusalOf } from '../state/access';
import { useSessionFacts, type SessionFacts, type Workspace } from '../state/session-context';
import { useShownWorkspace } from './use-shown-workspace';

export const GROUPS: readonly PageGroup[] = ['top', 'observe', 'build', 'control', 'organisation'];

/** Whether the installation has the page and the caller may open it. */
export function isOpen(page: PageEntry, facts: SessionFacts, workspace: Workspace | null): boolean {
  const { features } = facts.bootstrap;
  if (page.feature !== undefined && features?.[page.feature] !== true) return false;
  const place = page.to.startsWith('/w/') ? workspace : null;
  if (page.to.startsWith('/w/') && workspace === null) return false;
  return page.operation === undefined || refusalOf(page.operation, facts, place) === null;
}

/** Pages that the caller may open, in the order of the navigation. */
export function usePages(): readonly PageEntry[] {
  const facts = useSessionFacts();
  const workspace = useShownWorkspace();
  return useMemo(() => PAGES.filter((page) => isOpen(page, facts, workspace)), [facts, workspace]);
}
