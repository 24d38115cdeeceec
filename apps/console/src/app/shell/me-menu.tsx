import { lazy, type ReactElement } from 'react';
import { shell } from '../../messages';
import { Icon } from '../../ui/icons/icon';
import { PopupButton } from '../../ui/popup';
import { useSelf } from '../state/session-context';

const MeList = lazy(async () => ({ default: (await import('./me-list')).MeList }));

interface MeMenuProps {
  readonly isSmall: boolean;
  readonly onKeys: () => void;
}

/** Button of the signed-in user, with a menu for theme, time zone, shortcuts and sign-out. */
export function MeMenu({ isSmall, onKeys }: MeMenuProps): ReactElement {
  const self = useSelf();
  const name = [self.first_name, self.last_name].join(' ').trim() || self.email;
  return (
    <PopupButton
      opens="menu"
      className="me plain-button"
      popup={(popup) => <MeList {...popup} onKeys={onKeys} />}
    >
      <span className="visually-hidden">{shell.me.menu(self.email)}</span>
      <span className="me-mark" aria-hidden="true">
        {[...name].slice(0, 2).join('').toUpperCase()}
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
    </PopupButton>
  );
}
