import { escapeXml } from '../../graph/write/svg'

/** Text as XML and HTML take it. */
export const escapeMarkup = escapeXml

/** In an attribute of XML a line break would be read as a space. */
export function escapeAttribute(text: string): string {
  return escapeXml(text).replace(/\t/g, '&#9;').replace(/\n/g, '&#10;').replace(/\r/g, '&#13;')
}
