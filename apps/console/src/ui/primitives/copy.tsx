import { useEffect, useRef, useState, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import { shortId } from '../format';
import { Icon } from '../icons/icon';
import { announce } from './live-region';

const SHOWN_MS = 1600;

/** Returns a function that copies a text, and whether the last copy succeeded, for `SHOWN_MS`. */
export function useCopy(): {
  readonly state: 'idle' | 'copied' | 'failed';
  readonly copy: (text: string) => Promise<boolean>;
} {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (text: string): Promise<boolean> => {
    const isCopied = await writeClipboard(text);
    setState(isCopied ? 'copied' : 'failed');
    announce(isCopied ? uiText.copy.copied : uiText.copy.failed);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setState('idle'), SHOWN_MS);
    return isCopied;
  };
  return { state, copy };
}

/**
 * Writes to the clipboard; returns false when that fails, as on plain HTTP, where pages have no
 * clipboard.
 */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export interface CopyButtonProps {
  /** The text, or a function that creates it when the button is pressed. */
  readonly text: string | (() => string);
  /** Text next to the icon; absent for an icon only, named `Copy`. */
  readonly label?: string;
  /** Name of the copied thing for the accessible name, such as `Copy request id`. */
  readonly what?: string;
  readonly size?: 'small' | 'control';
}

/** A button that copies a text. */
export function CopyButton({ text, label, what, size = 'small' }: CopyButtonProps): ReactElement {
  const { state, copy } = useCopy();
  const shown = state === 'idle' ? label : state === 'copied' ? uiText.copy.copied : uiText.copy.failed;
  return (
    <button
      type="button"
      className={`copy-button copy-button-${label === undefined ? 'icon' : size}`}
      aria-label={label === undefined || what !== undefined ? uiText.copy.button(what) : undefined}
      title={label === undefined ? uiText.copy.button(what) : undefined}
      onClick={(event) => {
        event.stopPropagation();
        void copy(typeof text === 'string' ? text : text());
      }}
    >
      <Icon name={state === 'copied' ? 'check' : state === 'failed' ? 'warning' : 'copy'} size={14} />
      {label === undefined ? null : shown}
    </button>
  );
}

/** Shows the first 18 characters of an id; a click copies the whole id. */
export function Id({ id, full = false }: { readonly id: string; readonly full?: boolean }): ReactElement {
  const { state, copy } = useCopy();
  return (
    <button
      type="button"
      className="plain-button mono id"
      title={`${id}\n${uiText.copy.click}`}
      aria-label={uiText.copy.button(id)}
      onClick={(event) => {
        event.stopPropagation();
        void copy(id);
      }}
    >
      {full ? id : shortId(id)}
      {state === 'copied' && <Icon name="check" size={12} />}
    </button>
  );
}
