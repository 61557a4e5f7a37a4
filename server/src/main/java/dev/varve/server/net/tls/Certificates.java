package dev.varve.server.net.tls;

import dev.varve.server.config.ConfigException;
import dev.varve.server.config.NamedFile;
import dev.varve.server.config.Parameter;
import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the certificates in files that parameters name, in the armor of RFC 7468.
 *
 * <p>Functions of the files alone, for threads that may block.
 */
final class Certificates {
  private Certificates() {}

  /** Those in a file, at least one. */
  static List<X509Certificate> in(Parameter parameter, String file) throws ConfigException {
    try {
      List<X509Certificate> found = parsed(NamedFile.read(parameter, file));
      if (found.isEmpty()) {
        throw NamedFile.wrong(parameter, file, "no certificate in it");
      }
      return found;
    } catch (CertificateException failure) {
      throw NamedFile.wrong(parameter, file, "no certificate: " + failure.getMessage());
    }
  }

  /** Those in all files of a directory, at least one; a file that has none is passed over. */
  static List<X509Certificate> inAll(Parameter parameter, String directory) throws ConfigException {
    List<X509Certificate> found = new ArrayList<>();
    for (byte[] file : NamedFile.readAll(parameter, directory)) {
      try {
        found.addAll(parsed(file));
      } catch (CertificateException none) {
        // A list of what was revoked, say.
        continue;
      }
    }
    if (found.isEmpty()) {
      throw NamedFile.wrong(parameter, directory, "no file with a certificate in it");
    }
    return found;
  }

  private static List<X509Certificate> parsed(byte[] pem) throws CertificateException {
    return CertificateFactory.getInstance("X.509")
        .generateCertificates(new ByteArrayInputStream(pem))
        .stream()
        .map(X509Certificate.class::cast)
        .toList();
  }
}
