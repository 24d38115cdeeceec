import { fireEvent, screen, waitFor } from '@testing-library/react';
import { renderUi } from '../../../ui/spec-support/render-ui';
import { Attachments } from './attachments';

describe('Attachments', () => {
  it('adds a file to the draft as it is when the file has been read', async () => {
    const [before, now] = [jest.fn(), jest.fn()];
    const other = { name: 'a.png', type: 'image/png', base64: 'AA==', bytes: 1 };
    const { rerender } = renderUi(<Attachments attachments={[]} onChange={before} />);
    const input = screen.getByLabelText('Attach a file', { selector: 'input' });
    fireEvent.change(input, { target: { files: [new File(['x'], 'b.png', { type: 'image/png' })] } });
    rerender(<Attachments attachments={[other]} onChange={now} />);
    await waitFor(() => expect(now).toHaveBeenCalled());
    expect(now).toHaveBeenCalledWith([other, expect.objectContaining({ name: 'b.png', base64: 'eA==' })]);
    expect(before).not.toHaveBeenCalled();
  });
});
