import {
  Menu,
  SegmentedControl,
  Switch,
  useMantineColorScheme,
  type MantineColorScheme,
} from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { shell } from '../../messages';
import { Icon } from '../../ui/icons/icon';
import type { PopupProps } from '../../ui/popup';
import { Anchor, usePopup } from '../../ui/popup/anchor';
import { FormError } from '../session/sign-in-parts';
import { signOut } from '../session/sign-out';
import { changePreferences, toggleUtc, usePreferences } from '../state/preferences';
import { useGoTo } from './addresses';

const THEMES: { readonly value: MantineColorScheme; readonly label: string }[] = [
  { value: 'light', label: shell.me.light },
  { value: 'dark', label: shell.me.dark },
  { value: 'auto', label: shell.me.system },
];

/** Menu of the signed-in user. */
export function MeList({
  anchor,
  onKeys,
  ...popup
}: PopupProps & { readonly onKeys: () => void }): ReactElement {
  const goTo = useGoTo();
  const { zone, hasKeys } = usePreferences();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [error, setError] = useState<unknown>(null);
  return (
    <Menu {...usePopup(popup)} position="top-start" width={240} closeOnItemClick={false}>
      <Menu.Target>
        <Anchor element={anchor} />
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
        <Menu.Item leftSection={<Icon name="logout" />} onClick={() => void signOut().catch(setError)}>
          {shell.me.signOut}
        </Menu.Item>
        <FormError error={error} />
      </Menu.Dropdown>
    </Menu>
  );
}
