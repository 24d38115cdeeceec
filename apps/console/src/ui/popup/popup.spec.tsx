import { Popover } from '@mantine/core';
import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { lazy, type ReactElement } from 'react';
import { renderUi } from '../spec-support/render-ui';
import { PopupButton, type PopupProps } from '.';
import { Anchor, usePopup } from './anchor';

function Popup({ anchor, ...popup }: PopupProps): ReactElement {
  return (
    <Popover {...usePopup(popup)} trapFocus returnFocus>
      <Popover.Target>
        <Anchor element={anchor} />
      </Popover.Target>
      <Popover.Dropdown>
        <button type="button">Choose</button>
      </Popover.Dropdown>
    </Popover>
  );
}

describe('PopupButton with a lazy popup', () => {
  const user = userEvent.setup();
  const draw = (load: () => Promise<{ default: typeof Popup }>) => {
    const Later = lazy(load);
    renderUi(
      <>
        <PopupButton opens="dialog" popup={(popup) => <Later {...popup} />}>
          Time
        </PopupButton>
        <p>Elsewhere</p>
      </>,
    );
    return screen.getByRole('button', { name: 'Time' });
  };

  it('opens the popup when its code is loaded, names it, and returns the focus on close', async () => {
    let arrive: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const button = draw(() => arrived.then(() => ({ default: Popup })));
    await user.click(button);
    expect(screen.queryByRole('dialog')).toBeNull();
    arrive();
    await screen.findByRole('dialog', { name: 'Time' });
    expect([button.isConnected, button.getAttribute('aria-expanded')]).toEqual([true, 'true']);
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Choose'));
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(button));
  });

  it('closes by its button and by a click outside, and opens again', async () => {
    const button = draw(() => Promise.resolve({ default: Popup }));
    const isClosed = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await user.click(button);
    await screen.findByRole('dialog');
    await user.click(button);
    await isClosed();
    await user.click(button);
    await screen.findByRole('dialog');
    await user.click(screen.getByText('Elsewhere'));
    await isClosed();
    expect(button.getAttribute('aria-expanded')).toBe('false');
  });

  it('leaves the page unchanged when the code cannot be loaded', async () => {
    const silent = jest.spyOn(console, 'error').mockImplementation();
    const button = draw(() => Promise.reject(new Error('Failed to fetch dynamically imported module')));
    await user.click(button);
    await waitFor(() => expect(silent).toHaveBeenCalled());
    screen.getByText('Elsewhere');
    expect(screen.queryByText(/Failed to fetch/)).toBeNull();
    silent.mockRestore();
  });
});
