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
  /** The secret; null: the dialog is closed. It lives in the state of the caller and here alone. */
  readonly secret: string | null;
  /** `search-prod-eu`: the title says that its key is shown once. */
  readonly name: string;
  /** The caller forgets the secret. */
  readonly onClose: () => void;
  /** Recipes, and what waits for the first request. */
  readonly children?: ReactNode;
}

/** Shows a secret once, and copies it at once. `C` copies it again. Closing needs the tick, or a second click. */
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
    if (event.key !== 'c' || event.ctrlKey || event.metaKey || isTyping(event.target) || secret === null)
      return;
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
