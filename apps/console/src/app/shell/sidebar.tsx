import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { shell } from '../../messages';
import { BrandMark } from '../../ui/icons/brand-mark';
import { Icon } from '../../ui/icons/icon';
import { HealthLine } from './health-line';
import { MeMenu } from './me-menu';
import { GROUPS, usePages } from './use-pages';
import { useShownWorkspace } from './use-shown-workspace';
import { WorkspaceSwitcher } from './workspace-switcher';

interface SidebarProps {
  readonly isSmall: boolean;
  readonly onKeys: () => void;
  readonly onNavigate?: () => void;
}

/** The sidebar: logo, workspace, pages, health and the signed-in user. */
export function Sidebar({ isSmall, onKeys, onNavigate }: SidebarProps): ReactElement {
  const pages = usePages();
  const ws = useShownWorkspace()?.slug ?? '';
  return (
    <div className="sidebar" data-small={isSmall || undefined}>
      <div className="brand">
        <BrandMark />
        {!isSmall && shell.product}
      </div>
      <WorkspaceSwitcher isSmall={isSmall} />
      <nav aria-label={shell.navigation} className="nav-list">
        {GROUPS.map((group) => {
          const own = pages.filter((page) => page.group === group);
          const title = shell.groups[group];
          if (own.length === 0) return null;
          return (
            <div key={group} role="group" aria-label={title === '' ? undefined : title}>
              {title !== '' && !isSmall && <p className="nav-title">{title}</p>}
              {own.map((page) => (
                <Link
                  key={page.id}
                  to={page.to}
                  params={{ ws }}
                  className="nav-link"
                  activeOptions={{ exact: page.to === '/w/$ws', includeSearch: false }}
                  title={isSmall ? page.label : undefined}
                  aria-label={isSmall ? page.label : undefined}
                  onClick={onNavigate}
                >
                  <Icon name={page.icon} />
                  {!isSmall && page.label}
                </Link>
              ))}
            </div>
          );
        })}
      </nav>
      <div className="sidebar-foot">
        {!isSmall && <HealthLine />}
        <MeMenu isSmall={isSmall} onKeys={onKeys} />
      </div>
    </div>
  );
}
