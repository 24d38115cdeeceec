import {
  lazy,
  Suspense,
  useCallback,
  useMemo,
  useState,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
} from 'react';
import { shell } from '../../messages';
import { ErrorBoundary } from '../../ui/states/error-boundary';
import { SingleKeysContext } from '../../ui/use-page-keys';
import { usePalette } from '../palette/use-palette';
import { refusalOf } from '../state/access';
import { changePreferences, preferences, toggleUtc, usePreferences } from '../state/preferences';
import { useSessionFacts } from '../state/session-context';
import { inWorkspace, useGoTo } from './addresses';
import { useKeys, type Keys } from './chords';
import { Later } from './later';
import { NewerVersion } from './newer-version';
import { Sidebar } from './sidebar';
import { TopBar } from './top-bar';
import { usePages } from './use-pages';
import { useShownWorkspace } from './use-shown-workspace';
import { SWITCHER_CLASS } from './workspace-switcher';
import './shell.css';

const KeysDialog = lazy(async () => ({ default: (await import('./keys-dialog')).KeysDialog }));
const PagesDrawer = lazy(async () => ({ default: (await import('./pages-drawer')).PagesDrawer }));

const toggleSidebar = (): void =>
  changePreferences({ isSidebarCollapsed: !preferences().isSidebarCollapsed });

/**
 * Focuses the content of the page. The browser would resolve the link against `<base href>` and open
 * Home.
 */
const skip = (event: MouseEvent): void => {
  event.preventDefault();
  document.getElementById('content')?.focus();
};

/**
 * Shortcuts of the whole console: the chords of pages, which begin with G or C, and single keys.
 */
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

/**
 * Renders a dialog whose code is loaded when it is needed. When that fails, nothing opens, the page
 * stays, and `NewerVersion` reports missing files.
 */
const Lazily = ({ children }: { readonly children: ReactNode }): ReactElement => (
  <ErrorBoundary fallback={null}>
    <Suspense>{children}</Suspense>
  </ErrorBoundary>
);

/** Frame of every page: sidebar, top bar, palette, keys. */
export function Shell({ children }: { readonly children: ReactNode }): ReactElement {
  const { isSidebarCollapsed, hasKeys } = usePreferences();
  const [menu, setMenu] = useState<'never' | 'open' | 'closed'>('never');
  const [showsKeys, setShowsKeys] = useState(false);
  const openKeys = useCallback(() => setShowsKeys(true), []);
  const palette = usePalette(openKeys);
  useKeys(useShellKeys(openKeys), palette.open, hasKeys);
  return (
    <div className="app" data-small={isSidebarCollapsed || undefined}>
      <a className="skip-link" href="#content" onClick={skip}>
        {shell.skip}
      </a>
      <aside className="app-side">
        <Sidebar isSmall={isSidebarCollapsed} onKeys={openKeys} />
      </aside>
      <TopBar onSearch={palette.open} onMenu={() => setMenu('open')} onKeys={openKeys} />
      <main id="content" className="app-main" tabIndex={-1}>
        <SingleKeysContext value={hasKeys}>{children}</SingleKeysContext>
      </main>
      <Lazily>{palette.element}</Lazily>
      <Lazily>
        {menu !== 'never' && (
          <PagesDrawer isOpen={menu === 'open'} onClose={() => setMenu('closed')} onKeys={openKeys} />
        )}
      </Lazily>
      <Lazily>{showsKeys && <KeysDialog onClose={() => setShowsKeys(false)} />}</Lazily>
      <NewerVersion />
      <Later />
    </div>
  );
}
