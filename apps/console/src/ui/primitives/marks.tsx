import type { CSSProperties, MouseEventHandler, ReactElement, ReactNode } from 'react';
import { Icon, type IconName } from '../icons/icon';

export type Tone = 'neutral' | 'ok' | 'warn' | 'danger' | 'info' | 'violet' | 'outline';

export interface BadgeProps {
  readonly tone?: Tone;
  readonly icon?: IconName;
  readonly mono?: boolean;
  readonly title?: string;
  readonly children: ReactNode;
}

/** A word for a state, in a colour that never carries the meaning alone. */
export function Badge({ tone = 'neutral', icon, mono = false, title, children }: BadgeProps): ReactElement {
  return (
    <span className={`badge badge-${tone}${mono ? ' badge-mono' : ''}`} title={title}>
      {icon === undefined ? null : <Icon name={icon} size={12} />}
      {children}
    </span>
  );
}

/** Badge of an HTTP status; 0 means no response. `word`, such as `cut`, replaces the number. */
export function StatusBadge({
  status,
  word,
}: {
  readonly status: number;
  readonly word?: string;
}): ReactElement {
  return <Badge tone={toneOfStatus(status)}>{word ?? (status === 0 ? '–' : status)}</Badge>;
}

/**
 * Tone of an HTTP status. 446 and 246 come from guardrails, other 4xx are errors of the caller, 5xx
 * errors of the provider or Tollgate.
 */
export function toneOfStatus(status: number): Tone {
  if (status === 446 || status === 246) return 'violet';
  if (status >= 500 || status === 0) return 'danger';
  return status >= 400 ? 'warn' : 'ok';
}

/** A coloured dot for a state, next to its word. */
export function Dot({
  tone = 'ok',
  live = false,
}: {
  readonly tone?: 'ok' | 'warn' | 'danger' | 'off';
  readonly live?: boolean;
}): ReactElement {
  return <span className={`dot dot-${tone}${live ? ' dot-live' : ''}`} aria-hidden="true" />;
}

/** The first letter of a provider in its colour, with the name of a model or provider. */
export function ProviderMark({
  provider,
  children,
}: {
  readonly provider: string | null;
  readonly children?: ReactNode;
}): ReactElement {
  const letter = (provider ?? '?').replace(/^@/, '').slice(0, 1).toUpperCase();
  return (
    <span className="provider-mark" title={provider ?? undefined}>
      <span className="provider-logo" data-provider={provider ?? ''} aria-hidden="true">
        {letter}
      </span>
      {children === undefined ? null : <span className="ell">{children}</span>}
    </span>
  );
}

export interface NoteProps {
  readonly tone?: 'info' | 'ok' | 'warn' | 'danger' | 'plain';
  readonly icon?: IconName;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** A short note on a background in its tone. */
export function Note({ tone = 'info', icon, children, action }: NoteProps): ReactElement {
  const usual: IconName =
    tone === 'warn' || tone === 'danger' ? 'warning' : tone === 'ok' ? 'circleCheck' : 'info';
  return (
    <div className={`note note-${tone}`} role={tone === 'danger' ? 'alert' : undefined}>
      <Icon name={icon ?? usual} />
      <div className="grow">{children}</div>
      {action}
    </div>
  );
}

/** Keys of a shortcut, such as `['Ctrl', 'K']`, each in a box. */
export function Kbd({ keys }: { readonly keys: string | readonly string[] }): ReactElement {
  const list = typeof keys === 'string' ? [keys] : keys;
  return (
    <span className="kbd-group">
      {list.map((key, at) => (
        <kbd key={at} className="kbd">
          {key}
        </kbd>
      ))}
    </span>
  );
}

export interface KeyValuesProps {
  readonly items: readonly (readonly [name: string, value: ReactNode])[];
  readonly nameWidth?: number;
}

/** Names and values in two columns. */
export function KeyValues({ items, nameWidth = 116 }: KeyValuesProps): ReactElement {
  return (
    <dl className="key-values" style={{ '--name-width': `${nameWidth}px` } as CSSProperties}>
      {items.map(([name, value], at) => (
        // Two items can have the same name, as workspaces can.
        <div key={`${at} ${name}`} className="key-value">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export interface TextButtonProps {
  readonly children: ReactNode;
  readonly onClick: MouseEventHandler<HTMLButtonElement>;
}

/** A button that looks like a link, for an action within a text. */
export function TextButton({ children, onClick }: TextButtonProps): ReactElement {
  return (
    <button type="button" className="plain-button text-button" onClick={onClick}>
      {children}
    </button>
  );
}
