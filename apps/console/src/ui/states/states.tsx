import type { ReactElement, ReactNode } from 'react';
import { uiText } from '../../messages/en/ui';
import { clockSeconds } from '../format';
import { Icon, type IconName } from '../icons/icon';
import { useFormat } from '../primitives/format-context';

export interface EmptyProps {
  /** Name of the missing contents. */
  readonly title: string;
  /** Why it is not: filters, time, nothing yet. */
  readonly children?: ReactNode;
  readonly icon?: IconName;
  /** One next step. */
  readonly action?: ReactNode;
}

/** An answer with nothing in it. Never shown while an answer is missing. */
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
  /** Milliseconds since 1970 of the data that is shown. */
  readonly asOf: number;
  readonly reason?: string;
  readonly children?: ReactNode;
}

/** No contact, or behind: an amber line, and greyed values below it. */
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
  /** The right that is missing, as the API names it. */
  readonly missing: string;
  /** Person who can grant the right, or the setting that closes it. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** The caller may not see this, and why. */
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

/** Old data is shown while new data is on its way: a line of 2 px at the top of its parent. */
export function Updating({ active }: { readonly active: boolean }): ReactElement {
  return (
    <div className="updating" data-active={active || undefined} role="status">
      {active && <span className="visually-hidden">{uiText.states.updating}</span>}
    </div>
  );
}

export interface GoneProps {
  /** It exists and is archived: the children show its last state, read-only. */
  readonly archived?: boolean;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** 404, or archived. */
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
  /** How far it got: `looked through 10,000 logs to 13:42`. */
  readonly children: ReactNode;
  readonly onGoOn?: () => void;
}

/** Some of the data is there, with words for what is missing. */
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
