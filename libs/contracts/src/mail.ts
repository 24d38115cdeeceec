/** The content of a mail before it is rendered as text and HTML. Contains no markup. */
export interface MailMessage {
  /** One line of at most 200 characters. */
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** The button of the mail. Null: the mail is for information only. */
  readonly action: { readonly label: string; readonly url: string } | null;
}
