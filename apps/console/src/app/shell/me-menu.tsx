import {
  Menu,
  SegmentedControl,
  Switch,
  useMantineColorScheme,
  type MantineColorScheme,
} from '@mantine/core';
import type { ReactElement } from 'react';
import { shell } from '../../messages';
import { Icon } from '../../ui/icons/icon';
import { signOut } from '../session/sign-out';
import { changePreferences, toggleUtc, usePreferences } from '../state/preferences';
import { useSelf } from '../state/session-context';
import { useGoTo } from './addresses';

const THEMES: { readonly value: MantineColorScheme; readonly label: string }[] = [
  { value: 'light', label: shell.me.light },
  { value: 'dark', label: shell.me.dark },
  { value: 'auto', label: shell.me.system },
];

interface MeMenuProps {
  readonly isSmall: boolean;
  readonly onKeys: () => void;
}

/** The signed-in user: theme, zone, keys, sign-out. */
export function MeMenu({ isSmall, onKeys }: MeMenuProps): ReactElement {
  const self = useSelf();
  const goTo = useGoTo();
  const { zone, hasKeys } = usePreferences();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const name = [self.first_name, self.last_name].join(' ').trim() || self.email;
  return (
    <Menu position="top-start" width={240} closeOnItemClick={false}>
      <Menu.Target>
        <button type="button" className="me plain-button">
          <span className="visually-hidden">{shell.me.menu(self.email)}</span>
          <span className="me-mark" aria-hidden="true">
            {name.slice(0, 2).toUpperCase()}
          </span>
          {!isSmall && (
            <>
              <span className="switcher-names" aria-hidden="true">
                <b className="ell">{name}</b>
                <span className="ell xxs muted">{shell.me.roles[self.organisation.role]}</span>
              </span>
              <Icon name="dots" />
            </>
          )}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{shell.me.theme}</Menu.Label>
        <SegmentedControl
          fullWidth
          aria-label={shell.me.theme}
          data={THEMES}
          value={colorScheme}
          onChange={setColorScheme}
        />
        <div className="me-switches">
          <Switch label={shell.me.utc} checked={zone === 'utc'} onChange={toggleUtc} />
          <Switch
            label={shell.me.singleKeys}
            checked={hasKeys}
            onChange={(event) => changePreferences({ hasKeys: event.currentTarget.checked })}
          />
        </div>
        <Menu.Divider />
        <Menu.Item closeMenuOnClick leftSection={<Icon name="sliders" />} onClick={() => goTo('/me')}>
          {shell.me.account}
        </Menu.Item>
        <Menu.Item closeMenuOnClick leftSection={<Icon name="key" />} onClick={() => goTo('/me/keys')}>
          {shell.me.ownKeys}
        </Menu.Item>
        <Menu.Item closeMenuOnClick leftSection={<Icon name="help" />} onClick={onKeys}>
          {shell.me.keys}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="logout" />} onClick={() => void signOut()}>
          {shell.me.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
