import { Menu, TextInput } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { shell } from '../../messages';
import type { PopupProps } from '../../ui/popup';
import { Anchor, usePopup } from '../../ui/popup/anchor';
import { useSelf, type Self } from '../state/session-context';
import { useGoTo } from './addresses';
import { pageIn } from './page-in';
import { useShownWorkspace } from './use-shown-workspace';

const OrganisationSwitch = lazy(async () => ({
  default: (await import('../session/organisation-switch')).OrganisationSwitch,
}));

/** Number of workspaces and organisations above which the menu has a search field. */
const MANY = 8;
/** Maximum number of listed workspaces; the search finds the others. */
const LISTED_MAX = 100;

/** Menu of the workspace switcher. */
export function WorkspaceList({ anchor, ...popup }: PopupProps): ReactElement {
  const self = useSelf();
  const shown = useShownWorkspace();
  const goTo = useGoTo();
  const { pathname, searchStr } = useLocation();
  const [text, setText] = useState('');
  const [wanted, setWanted] = useState<Self['organisations'][number] | null>(null);
  const has = (words: string): boolean => words.toLowerCase().includes(text.toLowerCase());
  const found = self.workspaces.filter((workspace) => has(`${workspace.name} ${workspace.slug}`));
  const others = self.organisations.filter(
    ({ id, name: called }) => id !== self.organisation.id && has(called),
  );
  const isMany = self.workspaces.length + self.organisations.length > MANY;
  return (
    <>
      <Menu {...usePopup(popup)} position="bottom-start" width={260} onClose={() => setText('')}>
        <Menu.Target>
          <Anchor element={anchor} />
        </Menu.Target>
        <Menu.Dropdown className="switcher-list">
          {isMany && (
            <TextInput
              aria-label={shell.switcher.find}
              placeholder={shell.switcher.find}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              data-autofocus
            />
          )}
          {found.length > 0 && <Menu.Label>{shell.switcher.workspaces}</Menu.Label>}
          {found.length + others.length === 0 && <Menu.Label>{shell.palette.nothing}</Menu.Label>}
          {found.slice(0, LISTED_MAX).map((workspace) => (
            <Menu.Item
              key={workspace.id}
              onClick={() => goTo(pageIn(workspace, pathname, searchStr))}
              aria-current={workspace.id === shown?.id || undefined}
              rightSection={<span className="xxs muted">{workspace.role}</span>}
            >
              {workspace.name}
            </Menu.Item>
          ))}
          {others.length > 0 && <Menu.Label>{shell.switcher.organisations}</Menu.Label>}
          {others.slice(0, LISTED_MAX).map((organisation) => (
            <Menu.Item
              key={organisation.id}
              onClick={() => setWanted(organisation)}
              rightSection={<span className="xxs muted">{organisation.role}</span>}
            >
              {organisation.name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {wanted !== null && (
        <Suspense>
          <OrganisationSwitch organisation={wanted} onClose={() => setWanted(null)} />
        </Suspense>
      )}
    </>
  );
}
