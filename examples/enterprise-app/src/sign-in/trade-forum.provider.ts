import { defineProvider } from 'lintel';

/** The forum of tea traders, which supports OAuth 2 only. The identity comes from its API, with the access token. */
export const tradeForum = defineProvider({
  name: 'trade-forum',
  endpoints: ({ forum }) => ({
    authorization: `${String(forum)}/oauth/authorize`,
    token: `${String(forum)}/oauth/token`,
    profile: `${String(forum)}/api/me`,
    issuer: 'https://forum.tea-traders.example',
  }),
  scopes: ['profile'],
  settings: {
    forum: {
      expects: 'be the address of the forum',
      accepts: (value) => typeof value === 'string' && URL.canParse(value),
      required: true,
    },
  },
  identity: ({ member, mail, mail_confirmed, name }) => {
    return { subject: member, email: mail, emailVerified: mail_confirmed, firstName: name };
  },
});
