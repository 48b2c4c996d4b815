import { Anchor, Button } from '@mantine/core';
import { createLink } from '@tanstack/react-router';

/** A link to another page of this application. */
export const RouteLink = createLink(Anchor<'a'>);

/** The same, looking like a button. */
export const RouteButton = createLink(Button<'a'>);
