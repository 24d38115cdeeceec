import type { ReactElement, ReactNode } from 'react';
import { uiText } from '../../messages/en/ui';
import { clockSeconds } from '../format';
import { Icon, type IconName } from '../icons/icon';
import { useFormat } from '../primitives/format-context';

export interface EmptyProps {
  /** Name of the missing contents. */
  readonly title: string;
  /** Why the contents are missing: filters, the time range, or nothing exists yet. */
  readonly children?: ReactNode;
  readonly icon?: IconName;
  /** A next step for the user. */
  readonly action?: ReactNode;
}

/** State of a view with an empty response. Not shown while a response is missing. */
export function Empty({ title, children, icon = 'list', action }: EmptyProps): ReactElement {
  return (
    <div className="state" role="status">
      <Icon name={icon} size={20} />
      <p className="state-title">{title}</p>
      {children === undefined ? null : <div className="state-text">{children}</div>}
      {action}
    </div>
  );
}

export interface StaleProps {
  /** Unix milliseconds of the shown data. */
  readonly asOf: number;
  readonly reason?: string;
  readonly children?: ReactNode;
}

/** State of a view with outdated data: an amber line, with greyed values below it. */
export function Stale({ asOf, reason, children }: StaleProps): ReactElement {
  const { zone } = useFormat();
  return (
    <>
      <p className="stale-line" role="status">
        <Icon name="clock" size={14} /> {uiText.states.asOf(clockSeconds(asOf, zone))}
        {reason === undefined ? null : ` · ${reason}`}
      </p>
      {children === undefined ? null : <div className="stale-values">{children}</div>}
    </>
  );
}

export interface NotAllowedProps {
  /** Missing scope, as the API names it, or the API's message about it. */
  readonly missing: string;
  /** Text that says who can grant the right, or which setting forbids it. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** State of a view that the caller may not see, with the reason. */
export function NotAllowed({ missing, children, action }: NotAllowedProps): ReactElement {
  return (
    <div className="state" role="status">
      <Icon name="lock" size={20} />
      <p className="state-title">{uiText.states.notAllowed(missing)}</p>
      {children === undefined ? null : <div className="state-text">{children}</div>}
      {action}
    </div>
  );
}

/**
 * Shows that new data is loading while old data is visible, as a line of 2 px at the top of its
 * parent.
 */
export function Updating({ active }: { readonly active: boolean }): ReactElement {
  return (
    <div className="updating" data-active={active || undefined} role="status">
      {active && <span className="visually-hidden">{uiText.states.updating}</span>}
    </div>
  );
}

export interface GoneProps {
  /** True when the resource is archived; the children then show its last state, read-only. */
  readonly archived?: boolean;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** State of a view whose resource does not exist (404) or is archived. */
export function Gone({ archived = false, children, action }: GoneProps): ReactElement {
  if (archived) {
    return (
      <>
        <p className="stale-line" role="status">
          <Icon name="lock" size={14} /> {uiText.states.archived}
        </p>
        {children}
      </>
    );
  }
  return (
    <div className="state" role="status">
      <Icon name="ban" size={20} />
      <p className="state-title">{uiText.states.gone}</p>
      {children === undefined ? null : <div className="state-text">{children}</div>}
      {action}
    </div>
  );
}

export interface PartProps {
  /** Progress, such as `looked through 10,000 logs to 13:42`. */
  readonly children: ReactNode;
  readonly onGoOn?: () => void;
}

/** State of a view with incomplete data, which says what is missing. */
export function Part({ children, onGoOn }: PartProps): ReactElement {
  return (
    <p className="part-line" role="status">
      <Icon name="info" size={14} /> <span>{children}</span>
      {onGoOn === undefined ? null : (
        <button type="button" className="plain-button text-button" onClick={onGoOn}>
          {uiText.states.goOn}
        </button>
      )}
    </p>
  );
}
