import { Button, Checkbox, Modal } from '@mantine/core';
import {
  useEffect,
  useEffectEvent,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from 'react';
import { uiText } from '../../messages/en/ui';
import { isTyping } from '../typing';
import { Icon } from '../icons/icon';
import { useCopy } from '../primitives/copy';
import { Kbd, Note } from '../primitives/marks';

export interface RevealProps {
  /**
   * The secret; null when the dialog is closed. Only the calling component and this one hold it.
   */
  readonly secret: string | null;
  /** Name of the key in the title, such as `search-prod-eu`. */
  readonly name: string;
  /** Called on close; the calling component must then drop the secret. */
  readonly onClose: () => void;
  /** Content below the secret, such as recipes and the first request. */
  readonly children?: ReactNode;
}

/**
 * Dialog that shows a secret once and copies it when it opens. `C` copies it again. To close it,
 * the user must tick the box or click twice.
 */
export function Reveal({ secret, name, onClose, children }: RevealProps): ReactElement {
  const [isPlaced, setPlaced] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const { state, copy } = useCopy();
  const copyOnce = useEffectEvent((made: string) => void copy(made));
  useEffect(() => {
    if (secret !== null) copyOnce(secret);
  }, [secret]);
  const close = (): void => {
    if (!isPlaced && !isAsked) return setAsked(true);
    setPlaced(false);
    setAsked(false);
    return onClose();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
    if (event.key.toLowerCase() !== 'c' || !isPlain || secret === null) return;
    event.preventDefault();
    void copy(secret);
  };
  return (
    <Modal
      opened={secret !== null}
      onClose={close}
      size={560}
      closeOnClickOutside={false}
      withCloseButton={false}
      title={uiText.reveal.title(name)}
      onKeyDown={onKeyDown}
    >
      <div className="col reveal">
        <p className="sub">{uiText.reveal.once}</p>
        <div className="reveal-secret">
          <code className="grow">{secret}</code>
          <button
            type="button"
            data-autofocus
            className="copy-button copy-button-control"
            onClick={() => secret !== null && void copy(secret)}
          >
            <Icon name={state === 'copied' ? 'check' : 'copy'} size={14} />
            {state === 'copied' ? uiText.copy.copied : uiText.copy.button()} <Kbd keys="C" />
          </button>
        </div>
        {state === 'failed' && <Note tone="warn">{uiText.reveal.copyByHand}</Note>}
        {children}
        {isAsked && !isPlaced && <Note tone="warn">{uiText.reveal.closeAsk}</Note>}
        <div className="row">
          <Checkbox
            checked={isPlaced}
            label={uiText.reveal.placed}
            onChange={(event) => setPlaced(event.currentTarget.checked)}
          />
          <span className="right">
            <Button variant={isPlaced ? 'filled' : 'default'} onClick={close}>
              {isAsked && !isPlaced ? uiText.reveal.closeAnyway : uiText.reveal.close}
            </Button>
          </span>
        </div>
      </div>
    </Modal>
  );
}
