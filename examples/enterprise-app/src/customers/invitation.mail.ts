import { defineMail } from 'lintel';

/** Invites a colleague to the company of a customer. */
export const invitation = defineMail('acme-invitation', {
  subject: '{{company}} invites you',
  html: '<p><a href="{{link}}">Join {{company}}</a> at Acme within {{validity}}.</p>',
  text: 'Join {{company}} at Acme within {{validity}}: {{link}}',
  variables: {
    company: { sample: 'Tea & Co' },
    link: { sample: 'https://acme.example/join#3bT9', secret: true },
    expiresInMinutes: { sample: '1440' },
  },
});
