export { Mailer, MailError } from './mailer';
export { MAIL_SETTINGS, mailServerOf, type MailServer } from './settings';
