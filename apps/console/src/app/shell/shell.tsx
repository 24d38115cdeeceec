import { Drawer } from '@mantine/core';
import { lazy, Suspense, useCallback, useMemo, useState, type ReactElement, type ReactNode } from 'react';
import { shell } from '../../messages';
import { usePalette } from '../palette/use-palette';
import { refusalOf } from '../state/access';
import { changePreferences, preferences, toggleUtc, usePreferences } from '../state/preferences';
import { useSessionFacts } from '../state/session-context';
import { inWorkspace, useGoTo } from './addresses';
import { useKeys, type Keys } from './chords';
import { NewerVersion } from './newer-version';
import { Sidebar } from './sidebar';
import { TopBar } from './top-bar';
import { usePages } from './use-pages';
import { useShownWorkspace } from './use-shown-workspace';
import { SWITCHER_CLASS } from './workspace-switcher';
import './shell.css';

const KeysDialog = lazy(async () => ({ default: (await import('./keys-dialog')).KeysDialog }));

const toggleSidebar = (): void =>
  changePreferences({ isSidebarCollapsed: !preferences().isSidebarCollapsed });

/** Keys that act everywhere: G and C with a page, and single ones. */
function useShellKeys(onKeys: () => void): Keys {
  const facts = useSessionFacts();
  const workspace = useShownWorkspace();
  const pages = usePages();
  const goTo = useGoTo();
  return useMemo(() => {
    const ws = workspace?.slug ?? '';
    const keys: Record<string, () => void> = {
      '[': toggleSidebar,
      '?': onKeys,
      u: toggleUtc,
      w: () => document.querySelector<HTMLElement>(`.${SWITCHER_CLASS}`)?.click(),
    };
    for (const { chord, to, create } of pages) {
      if (chord !== undefined) keys[`g ${chord.toLowerCase()}`] = () => goTo(inWorkspace(to, ws));
      if (create?.chord !== undefined && refusalOf(create.operation, facts, workspace) === null)
        keys[`c ${create.chord.toLowerCase()}`] = () => goTo(inWorkspace(create.to, ws));
    }
    return keys;
  }, [facts, workspace, pages, goTo, onKeys]);
}

/** Frame of every page: sidebar, top bar, palette, keys. */
export function Shell({ children }: { readonly children: ReactNode }): ReactElement {
  const { isSidebarCollapsed, hasKeys } = usePreferences();
  const [hasMenu, setMenu] = useState(false);
  const [showsKeys, setShowsKeys] = useState(false);
  const openKeys = useCallback(() => setShowsKeys(true), []);
  const palette = usePalette(openKeys);
  useKeys(useShellKeys(openKeys), palette.open, hasKeys);
  return (
    <div className="app" data-small={isSidebarCollapsed || undefined}>
      <a className="skip-link" href="#content">
        {shell.skip}
      </a>
      <aside className="app-side">
        <Sidebar isSmall={isSidebarCollapsed} onKeys={openKeys} />
      </aside>
      <TopBar onSearch={palette.open} onMenu={() => setMenu(true)} onKeys={openKeys} />
      <main id="content" className="app-main" tabIndex={-1}>
        {children}
      </main>
      <Drawer opened={hasMenu} onClose={() => setMenu(false)} size={260} title={shell.navigation}>
        <Sidebar isSmall={false} onKeys={openKeys} onNavigate={() => setMenu(false)} />
      </Drawer>
      <Suspense>
        {palette.element}
        {showsKeys && <KeysDialog onClose={() => setShowsKeys(false)} />}
      </Suspense>
      <NewerVersion />
    </div>
  );
}
