import { ActionIcon, Kbd } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { shell } from '../../messages';
import { PAGES } from '../../pages';
import { Icon } from '../../ui/icons/icon';
import type { PageEntry } from '../page-entry';
import { useBootstrap } from '../state/session-context';
import { Alerts } from './alerts';

interface TopBarProps {
  readonly onSearch: () => void;
  readonly onMenu: () => void;
  readonly onKeys: () => void;
}

/** Names of environments that the badge colours, so that users notice which installation they change. */
const PRODUCTION = /^(?:prod|live)/i;

/** Returns the page whose address is the longest prefix of the path; null when there is none. */
export function pageAt(pathname: string): PageEntry | null {
  const shape = pathname.replace(/^\/w\/[^/]+/, '/w/$ws');
  const within = PAGES.filter(({ to }) => shape === to || shape.startsWith(`${to}/`));
  return within.sort((one, other) => other.to.length - one.to.length)[0] ?? null;
}

export function TopBar({ onSearch, onMenu, onKeys }: TopBarProps): ReactElement {
  const { environment, gateway_url: gateway } = useBootstrap();
  const page = pageAt(useLocation({ select: ({ pathname }) => pathname }));
  const group = page === null ? '' : shell.groups[page.group];
  const isLocal = gateway !== undefined && /^https?:\/\/(?:127\.|localhost|\[::1\])/.test(gateway);
  const badge = environment ?? (isLocal ? shell.local : null);
  return (
    <header className="top-bar">
      <ActionIcon className="menu-button" aria-label={shell.openMenu} onClick={onMenu}>
        <Icon name="menu" />
      </ActionIcon>
      <div className="crumbs ell">
        {group !== '' && <span className="muted">{group} / </span>}
        <b>{page?.label}</b>
      </div>
      <button type="button" className="search-button plain-button" onClick={onSearch}>
        <Icon name="search" size={14} />
        <span className="search-text">{shell.search}</span>
        <Kbd>Ctrl K</Kbd>
      </button>
      {badge !== null && (
        <span className="environment" data-production={PRODUCTION.test(badge) || undefined}>
          {badge}
        </span>
      )}
      <Alerts />
      <ActionIcon aria-label={shell.keys.title} onClick={onKeys}>
        <Icon name="help" />
      </ActionIcon>
    </header>
  );
}
