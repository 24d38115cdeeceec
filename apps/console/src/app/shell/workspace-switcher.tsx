import { lazy, type ReactElement } from 'react';
import { shell } from '../../messages';
import { Icon } from '../../ui/icons/icon';
import { PopupButton } from '../../ui/popup';
import { useSelf } from '../state/session-context';
import { useShownWorkspace } from './use-shown-workspace';

const WorkspaceList = lazy(async () => ({ default: (await import('./workspace-list')).WorkspaceList }));

/** CSS class of the switcher; Mantine generates the id of its button. */
export const SWITCHER_CLASS = 'switcher';

/** Shows the current workspace, with a menu of the other workspaces and organisations. */
export function WorkspaceSwitcher({ isSmall }: { readonly isSmall: boolean }): ReactElement {
  const self = useSelf();
  const name = useShownWorkspace()?.name ?? shell.switcher.none;
  return (
    <PopupButton
      opens="menu"
      className={`${SWITCHER_CLASS} plain-button`}
      popup={(popup) => <WorkspaceList {...popup} />}
    >
      <span className="visually-hidden">{shell.switcher.label(name)}</span>
      <span className="switcher-mark" aria-hidden="true">
        {[...name][0]?.toUpperCase()}
      </span>
      {!isSmall && (
        <>
          <span className="switcher-names" aria-hidden="true">
            <b className="ell">{name}</b>
            <span className="ell xxs muted">{self.organisation.name}</span>
          </span>
          <Icon name="selector" size={14} />
        </>
      )}
    </PopupButton>
  );
}
