import { errors, fieldErrors, otherErrors } from './errors.js';
import { forms, mail } from './forms.js';
import { appSignIn, signIn } from './sign-in.js';

/** The texts that every page has, and the sign-in page, in English. Those of the other languages have its form. */
export const en = {
  language: 'en',
  /** By which dates and numbers are written. */
  locale: 'en-GB',
  direction: 'ltr',
  frame: {
    skip: 'Skip to content',
    signOut: 'Sign out',
    stillSignedIn: (why: string) => `You are still signed in. ${why}`,
    lightColours: 'Use light colours',
    darkColours: 'Use dark colours',
    languages: 'Language',
    otherWays: 'Other ways',
    terms: 'Terms',
    privacy: 'Privacy',
    toSignIn: 'Go to sign-in',
    toAccount: 'Go to your account',
    toStart: 'Go to the start page',
    backToSignIn: 'Back to sign-in',
    loading: 'Loading…',
    moment: 'One moment…',
    checkingLink: 'Checking the link…',
    tryAgain: 'Try again',
    reload: 'Reload',
    justNow: 'just now',
    failed: 'This page could not be shown',
    failedLead: 'Check your connection, then reload the page.',
    notFound: 'There is nothing here',
    notFoundLead: 'The address may be mistyped, or the page has moved.',
    refused: 'This sign-in link does not work',
    refusedLead:
      'Nobody was signed in, and nothing was sent to the app. Start again from the app. If it fails again, contact its operator.',
  },
  errors,
  fieldErrors,
  otherErrors,
  forms,
  mail,
  signIn,
  appSignIn,
};

/** These texts in one language: none may be missing, and there are no others. */
export type Texts = typeof en;
